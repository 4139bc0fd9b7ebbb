/** One thing that the doctor looked at. */

export interface DoctorCheck {
  readonly name: string
  /** `odd`: it works, but one should know. */
  readonly state: "good" | "odd" | "wrong"
  readonly says: string
  /** What to do about it, where that is one thing. */
  readonly fix?: string
}

export const good = (name: string, says: string): DoctorCheck => ({ name, state: "good", says })
export const odd = (name: string, says: string): DoctorCheck => ({ name, state: "odd", says })
export const wrong = (name: string, says: string): DoctorCheck => ({ name, state: "wrong", says })
