import { Kbd, Modal, Table } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import type { ReactNode } from 'react';

const shortcuts: [string[], string][] = [
  [['Ctrl', 'K'], 'Search records and pages'],
  [['/'], 'Search this list'],
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['Enter'], 'Open the selected row'],
  [['?'], 'Show keyboard shortcuts'],
];

/** Selector of open dialogs. Leaving the page would lose their input, or a secret that is shown only once. */
const DIALOG_SELECTOR = '.mantine-Modal-content';
/** Selector of open dialogs and drawers. The page behind them must not react to keys. */
const OVERLAY_SELECTOR = '[aria-modal="true"]';

const unlessOpen = (selector: string, action: () => void) => (): void => {
  if (!document.querySelector(selector)) action();
};

/**
 * Registers the global keyboard shortcuts and returns the dialog that lists them.
 * @param openPalette called for `/` on a page without a search field
 */
export function useKeyboardShortcuts(openPalette: () => void): ReactNode {
  const [isOpen, dialog] = useDisclosure();
  const search = (): void => {
    const field = document.querySelector<HTMLElement>('[data-search]');
    if (field) field.focus();
    else openPalette();
  };
  const step = (offset: 1 | -1) => (): void => {
    const links = [...document.querySelectorAll<HTMLElement>('[data-row-link]')];
    const currentIndex = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
    links[currentIndex < 0 ? 0 : Math.min(links.length - 1, Math.max(0, currentIndex + offset))]?.focus();
  };
  useHotkeys([
    ['/', unlessOpen(OVERLAY_SELECTOR, search)],
    ['shift+?', unlessOpen(OVERLAY_SELECTOR, dialog.open)],
    ['?', unlessOpen(OVERLAY_SELECTOR, dialog.open)],
    ['j', unlessOpen(OVERLAY_SELECTOR, step(1))],
    ['k', unlessOpen(OVERLAY_SELECTOR, step(-1))],
  ]);
  // Also works in input fields.
  useHotkeys([['mod+K', unlessOpen(DIALOG_SELECTOR, openPalette)]], []);
  return (
    <Modal opened={isOpen} onClose={dialog.close} title="Keyboard shortcuts">
      <Table>
        <Table.Tbody>
          {shortcuts.map(([combination, meaning]) => (
            <Table.Tr key={meaning}>
              <Table.Td w={110}>
                {combination.map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{meaning}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
