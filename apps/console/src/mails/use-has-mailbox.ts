import { useCan } from '../session/roles';
import { useServer } from '../session/session';

/** Returns true if emails are captured and the operator can read them in the mailbox. */
export function useHasMailbox(): boolean {
  const canRead = useCan('operator');
  const { mailbox } = useServer();
  return canRead && mailbox;
}
