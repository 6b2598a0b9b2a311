import Sequencer from '@jest/test-sequencer';

/** Projects in the order in which their files start: files that take long run before files that take little time. */
const ORDER = ['dedicated', 'faults', 'browser', 'clients', 'contract', 'e2e', 'unit'];

/** Runs short files last, so that all Jest workers finish at about the same time. */
export default class LongestFirstSequencer extends Sequencer {
  sort(tests) {
    const rank = ({ context }) => ORDER.indexOf(context.config.displayName?.name);
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
}
