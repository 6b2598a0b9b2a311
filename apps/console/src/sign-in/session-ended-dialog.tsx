import { focusManager, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { SignInSteps } from './sign-in-steps';
import { SESSION_PATH, useSession } from '../session/session';
import classes from './session-ended-dialog.module.css';

let isCovered = false;

// Registered before Mantine's listeners, because they would close dialogs and move the focus below the cover.
window.addEventListener(
  'keydown',
  (event) => {
    if (!isCovered) return;
    event.stopImmediatePropagation();
    if (event.key === 'Escape') event.preventDefault();
  },
  { capture: true },
);

/** Covers the screen when its session has ended, until the same operator has signed in again. */
export function SessionEndedDialog({ email }: { email: string }): ReactNode {
  const { state } = useSession();
  const [recoveryCodes, setRecoveryCodes] = useState<string[] | null>(null);
  if (state === 'signed_in' && !recoveryCodes) return null;
  return (
    <Cover>
      <SignInSteps
        email={email}
        description="Your session has ended. This page keeps your input while you sign in again."
        recoveryCodes={recoveryCodes}
        onRecoveryCodes={setRecoveryCodes}
      />
    </Cover>
  );
}

/**
 * Covers the page with its children. Until it is removed, the page is neither visible nor usable and sends no requests.
 */
function Cover({ children }: { children: ReactNode }): ReactNode {
  const element = useRef<HTMLDialogElement>(null);
  const client = useQueryClient();
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    dialog.querySelector<HTMLElement>('input:not([readonly])')?.focus();
    isCovered = true;
    focusManager.setFocused(false);
    // The operator may have signed in again in another tab.
    const refresh = (): void => void client.invalidateQueries({ queryKey: [SESSION_PATH] });
    document.addEventListener('visibilitychange', refresh);
    return () => {
      document.removeEventListener('visibilitychange', refresh);
      focusManager.setFocused(undefined);
      isCovered = false;
      // Returns the focus to the element that had it.
      dialog.close();
    };
  }, [client]);
  return (
    <dialog ref={element} className={classes.cover} aria-label="Session ended">
      {children}
    </dialog>
  );
}
