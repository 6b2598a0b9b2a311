import { useCan } from './roles';
import { useSession } from './session';

/** Returns true if emails are captured and the operator can read them in the mailbox. */
export function useHasMailbox(): boolean {
  const canRead = useCan('operator');
  const { server } = useSession();
  return canRead && server.mailbox;
}
