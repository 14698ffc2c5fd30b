import type { Family } from './rules.ts'

/** Version control other than git. */
export const versions: Family = {
  options: {
    'hg sl': '-R:r: --repository= --cwd= --config= --encoding= --rev=',
    jj: '-R:r: --repository= --config= --at-op=',
  },
  rows: [
    {
      category: 'git-destroy',
      radius: 'medium',
      reason: 'It throws away changes or history of the working copy.',
      commands: [
        'hg update|up|checkout|co|goto -C|--clean',
        'hg purge|strip|rollback|histedit',
        'hg revert -a|--all|--no-backup',
        'hg push -f|--force',
        'svn revert',
        'svn cleanup --remove-unversioned|--remove-ignored',
        'svn delete|rm|del',
        'jj abandon',
        'jj op|operation abandon|restore',
        'jj git push --deleted|--all',
        'sl clean|purge|hide',
        'sl goto --clean|-C',
        'fossil clean|purge|revert',
        'bzr revert|uncommit',
        'p4 revert|obliterate|clean|delete',
        'gt delete|fold',
        'gt branch delete',
        'gt submit|push --force|-f',
        'repo forall|sync --force-sync|--force-remove-dirty',
      ],
    },
  ],
}
