/** How much is lost when a path is deleted or overwritten. */
export type Place =
  | 'root' // the whole machine
  | 'system' // a directory the operating system needs, or anything in it
  | 'home' // a whole home directory, or all homes
  | 'home-child' // one top-level directory of a home
  | 'device' // a disk or memory device
  | 'sink' // /dev/null and its kind: nothing is lost
  | 'temp'
  | 'start' // the whole working directory
  | 'above' // outside the working directory, by way of ..
  | 'outside' // some other absolute path
  | 'artefact' // something every build makes again
  | 'inside'
  | 'unknown'
