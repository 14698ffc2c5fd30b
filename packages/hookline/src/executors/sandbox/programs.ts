/**
 * The programs that a script finds in the sandbox, beside what every shell has in it. There is no other list:
 * @hookline/sandbox makes its shell with these.
 */
export const sandboxPrograms = (
  'echo cat printf ls mkdir rmdir touch rm cp mv ln chmod pwd readlink head tail wc stat grep fgrep egrep rg sed awk ' +
  'sort uniq comm cut paste tr rev nl fold expand unexpand strings split column join tee find basename dirname tree du ' +
  'env printenv alias unalias history xargs true false clear bash sh jq base64 diff date sleep timeout time seq expr ' +
  'md5sum sha1sum sha256sum file html-to-markdown help which tac hostname whoami od gzip gunzip zcat tar yq xan'
).split(' ')

/** Those that are there only for a script that may use the network. */
export const networkPrograms = ['curl']
