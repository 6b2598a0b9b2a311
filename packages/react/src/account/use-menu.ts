'use client';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';

const items = (menu: HTMLElement | null): HTMLElement[] => [
  ...(menu?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []),
];

/** Moves focus within a menu. Returns false if the key does not move focus. */
function moveFocus(menu: HTMLElement | null, key: string): boolean {
  const all = items(menu);
  const current = all.indexOf(document.activeElement as HTMLElement);
  const targets: Record<string, number> = {
    ArrowDown: (current + 1) % all.length,
    ArrowUp: current - 1,
    Home: 0,
    End: -1,
  };
  if (targets[key] === undefined) return false;
  all.at(targets[key])?.focus();
  return true;
}

/**
 * Returns the state and props for a menu button that follows the ARIA Authoring Practices Guide.
 * @returns `root` is the ref for the element that contains the button and the menu
 */
export function useMenu() {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const first = useRef(0);
  const open = (position: 0 | -1): void => {
    first.current = position;
    setIsOpen(true);
  };
  const close = (): void => {
    setIsOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    items(menu.current).at(first.current)?.focus();
    const closeOutside = ({ target }: Event): void => {
      if (!root.current?.contains(target as Node)) setIsOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    // Closes the menu when the Tab key moves focus out of it.
    document.addEventListener('focusin', closeOutside);
    return () => {
      document.removeEventListener('pointerdown', closeOutside);
      document.removeEventListener('focusin', closeOutside);
    };
  }, [isOpen]);
  const onMenuKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') close();
    else if (!moveFocus(menu.current, event.key)) return;
    event.preventDefault();
    // Prevents the key from closing a dialog that contains the menu.
    event.stopPropagation();
  };
  const onButtonKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && isOpen) close();
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') open(event.key === 'ArrowUp' ? -1 : 0);
    else return;
    event.preventDefault();
  };
  return {
    isOpen,
    close,
    root,
    buttonProps: {
      ref: button,
      'aria-haspopup': 'menu' as const,
      'aria-expanded': isOpen,
      'aria-controls': isOpen ? id : undefined,
      onClick: () => (isOpen ? close() : open(0)),
      onKeyDown: onButtonKeyDown,
    },
    menuProps: { ref: menu, id, role: 'menu', onKeyDown: onMenuKeyDown },
  };
}
