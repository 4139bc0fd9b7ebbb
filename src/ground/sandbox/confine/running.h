/* What a program is started with inside, whoever made the sandbox. */
#pragma once

#include "bounds.h"
#include "record.h"
#include "sys.h"
#include "writes.h"

/* What the recorder of a program tells the process that was started. */
struct bare {
  /* 1 until the program has ended; 0 if the recorder has. */
  int is_running;
  /* As from wait4; NOT_ENDED before. */
  int status;
};
enum { NOT_ENDED = -1 };

struct running {
  struct bounds bounds;
  struct places places;
  int allows_unix;
  /* The processes, sockets and interfaces of the machine can be seen, and nobody may be touched. */
  int machine;
  /* The descriptor of the report; 0 where there is none. */
  int report;
  /* The descriptor to ask by about processes outside; 0 where there is none. */
  int inspector;
  /* Where the program's exit code is left when it has ended and nobody else is there any more; may be null. */
  int *code;
  /* What its calls change is saved before. */
  struct recording recording;
  /* Outside of any sandbox: nothing is withheld, and who started it is told the status as soon as the program has ended. */
  struct bare *bare;
  char **program;
  char **environment;
};

/* Reads an option about what the program may use; 0 if it is another one. */
int take_limit(struct running *running, struct arguments *arguments, const char *option);

/* Gives up what the sandbox withholds and starts the program. */
_Noreturn void start_confined(struct running *running);
