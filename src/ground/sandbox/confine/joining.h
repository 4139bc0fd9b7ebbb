/* What happens outside before a sandbox is made, by bubblewrap or by confine itself. */
#pragma once

/* Opens what the program is watched to write to; dies if that does not work. */
int open_report(const char *file);
/* Signals to the process group are for the program inside, which can then end by itself. */
void ignore_polite_signals(void);
/* Joins the network of a process, and the user namespace that it belongs to. */
void join_namespaces(const char *process);
