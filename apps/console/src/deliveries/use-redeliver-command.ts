import { useCommands } from '../commands/commands';

/**
 * Registers a redelivery command with the shortcut "r".
 * @param run opens the same dialog as the button; null if nothing can be redelivered
 */
export function useRedeliverCommand(title: string, run: (() => void) | null): void {
  useCommands(
    run ? [{ id: 'redeliver', title, icon: 'redeliver', shortcut: 'r', role: 'operator', run }] : [],
  );
}
