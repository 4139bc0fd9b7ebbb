/** One thing that the doctor looked at. */

export interface DoctorCheck {
  readonly name: string
  /** `odd`: works, but worth knowing. */
  readonly state: "good" | "odd" | "wrong"
  readonly says: string
  readonly fix?: string
}

export const good = (name: string, says: string): DoctorCheck => ({ name, state: "good", says })
export const odd = (name: string, says: string): DoctorCheck => ({ name, state: "odd", says })
export const wrong = (name: string, says: string): DoctorCheck => ({ name, state: "wrong", says })
