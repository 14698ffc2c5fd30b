/**
 * Text that people and models read must not be able to move a cursor, retitle a terminal, or show something else than
 * it says: escape sequences, control characters and direction overrides are taken out. Newlines and tabs stay.
 * What is left holds none of them, so taking out again changes nothing.
 */
export function sanitise(text: string): string {
  return suspicious.test(text) ? text.replace(carriageReturns, '\n').replace(sequences, '').replace(controls, '') : text
}

const suspicious = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
const carriageReturns = /\r\n/g
// ECMA-48: CSI with its parameters, the strings OSC/DCS/SOS/PM/APC up to their terminator, then two-byte
// escapes. No part runs past the next control character, so that time stays linear.
const sequences =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0000-\u001f\u007f-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
