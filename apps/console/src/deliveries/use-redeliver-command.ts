import { useCommands } from '../commands/commands';

/**
 * Offers a redelivery as a command with the shortcut "r".
 * @param run opens the dialog that the button opens; null if nothing can be redelivered
 */
export function useRedeliverCommand(title: string, run: (() => void) | null): void {
  useCommands(
    run ? [{ id: 'redeliver', title, icon: 'redeliver', shortcut: 'r', role: 'operator', run }] : [],
  );
}
