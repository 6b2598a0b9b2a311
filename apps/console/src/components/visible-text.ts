export { showInvisible, splitInvisible } from '../../../../packages/cli/src/console-shared/visible-text';
