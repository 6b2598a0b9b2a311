import { Kbd, Modal, Table } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useEffect, useRef, type ReactNode } from 'react';
import { useActiveCommands, useCommands, useRunCommand, type Command } from './commands';
import { matchKey, type PendingKey } from './shortcuts';

/** Selector for open dialogs. Leaving the page would lose their input, or a secret that is shown only once. */
const DIALOG_SELECTOR = '.mantine-Modal-content';
/** Selector for open dialogs and drawers. The page behind them must not react to keys. */
const OVERLAY_SELECTOR = '[aria-modal="true"]';
/** Selector for elements that handle keys themselves. */
const TYPING_SELECTOR =
  'input:not([type="checkbox"], [type="radio"], [type="button"]), textarea, select, [contenteditable="true"], [role="menu"], [role="listbox"], [role="dialog"]';

/**
 * Handles the shortcuts of the page's commands and returns the dialog that lists them.
 * @param openPalette called for `/` on a page without a search field
 */
export function useKeyboardShortcuts(openPalette: () => void): ReactNode {
  const [isOpen, dialog] = useDisclosure();
  useCommands([
    { id: 'shortcuts', title: 'Show keyboard shortcuts', shortcut: '?', run: dialog.open },
    ...rowCommands,
    { ...searchCommand, run: () => focusSearch() || openPalette() },
  ]);
  const commands = useActiveCommands();
  useCommandKeys(commands);
  // Also works in input fields.
  useHotkeys([['mod+K', () => void (document.querySelector(DIALOG_SELECTOR) || openPalette())]], []);
  return (
    <Modal opened={isOpen} onClose={dialog.close} title="Keyboard shortcuts">
      <ShortcutTable commands={commands} />
    </Modal>
  );
}

const searchCommand = { id: 'search', title: 'Search this list', shortcut: '/', shortcutOnly: true };

/** Focuses the page's search field. Returns false if it has none. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLElement>('[data-search]');
  field?.focus();
  return field !== null;
}

const currentRow = (): HTMLElement | null | undefined =>
  document.activeElement?.closest<HTMLElement>('tr[data-row]');

/** Focuses the next or the previous row, or the first one if no row has the focus. */
function step(direction: 'next' | 'previous'): void {
  const row = currentRow();
  const target = row ? row[`${direction}ElementSibling`] : document;
  target?.querySelector<HTMLElement>('[data-row-link]')?.focus();
}

/** The commands for the rows in a list. */
const rowCommands: Command[] = [
  { id: 'row.next', title: 'Next row', shortcut: 'j', run: () => step('next') },
  { id: 'row.previous', title: 'Previous row', shortcut: 'k', run: () => step('previous') },
  { id: 'row.open', title: 'Open the row', shortcut: 'Enter' },
  {
    id: 'row.select',
    title: 'Select the row, or clear its selection',
    shortcut: 'x',
    run: () => currentRow()?.querySelector<HTMLElement>('input[type="checkbox"]')?.click(),
  },
].map((command) => ({ ...command, shortcutOnly: true }));

/** Runs the command whose shortcut is pressed. */
function useCommandKeys(commands: readonly Command[]): void {
  const runCommand = useRunCommand();
  const pending = useRef<PendingKey | null>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target instanceof Element && target.closest(TYPING_SELECTOR)) return;
      if (document.querySelector(OVERLAY_SELECTOR)) return;
      const key = arrowKeys[event.key] && currentRow() ? arrowKeys[event.key]! : event.key;
      const match = matchKey(
        commands.flatMap(({ shortcut }) => shortcut ?? []),
        key,
        event.timeStamp,
        pending.current,
      );
      pending.current = match.pending;
      const command = commands.find(({ shortcut }) => shortcut === match.shortcut);
      // Enter in a list has no `run`: the browser opens the focused link.
      if (!match.shortcut || (!command?.run && command?.to === undefined)) return;
      event.preventDefault();
      runCommand(command);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [commands, runCommand]);
}

/** In a list, the arrow keys act like these letters, which move between rows. */
const arrowKeys: Record<string, string> = { ArrowDown: 'j', ArrowUp: 'k' };

function ShortcutTable({ commands }: { commands: readonly Command[] }): ReactNode {
  const isPage = ({ to }: Command): boolean => to !== undefined;
  const shown = [
    { id: 'palette', title: 'Search records, pages and commands', shortcut: 'Ctrl K' },
    ...commands.filter((command) => !isPage(command)),
    ...commands.filter(isPage),
  ];
  return (
    <Table>
      <Table.Tbody>
        {shown.map(
          ({ id, title, shortcut }) =>
            shortcut && (
              <Table.Tr key={id}>
                <Table.Td w={110}>
                  {shortcut.split(' ').map((key) => (
                    <Kbd key={key} mr={4}>
                      {key}
                    </Kbd>
                  ))}
                </Table.Td>
                <Table.Td>{title}</Table.Td>
              </Table.Tr>
            ),
        )}
      </Table.Tbody>
    </Table>
  );
}
