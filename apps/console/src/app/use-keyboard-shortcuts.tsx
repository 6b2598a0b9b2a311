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

/** A dialog asks something, or shows a secret this once, which would be gone with its page. */
const DIALOG_SELECTOR = '.mantine-Modal-content';
/** Dialogs and drawers: what lies behind is out of reach, also of keys. */
const OVERLAY_SELECTOR = '[aria-modal="true"]';

const unlessOpen = (open: string, act: () => void) => (): void => {
  if (!document.querySelector(open)) act();
};

/** The keys that work everywhere, and the dialog that tells of them. @param openPalette where a page has no search */
export function useKeyboardShortcuts(openPalette: () => void): ReactNode {
  const [isOpen, dialog] = useDisclosure();
  const search = (): void => {
    const field = document.querySelector<HTMLElement>('[data-search]');
    if (field) field.focus();
    else openPalette();
  };
  const step = (by: 1 | -1) => (): void => {
    const links = [...document.querySelectorAll<HTMLElement>('[data-row-link]')];
    const here = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
    links[here < 0 ? 0 : Math.min(links.length - 1, Math.max(0, here + by))]?.focus();
  };
  useHotkeys([
    ['/', unlessOpen(OVERLAY_SELECTOR, search)],
    ['shift+?', unlessOpen(OVERLAY_SELECTOR, dialog.open)],
    ['?', unlessOpen(OVERLAY_SELECTOR, dialog.open)],
    ['j', unlessOpen(OVERLAY_SELECTOR, step(1))],
    ['k', unlessOpen(OVERLAY_SELECTOR, step(-1))],
  ]);
  // Also while somebody types.
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
