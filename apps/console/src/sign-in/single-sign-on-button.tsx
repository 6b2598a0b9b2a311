import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useApiMutation } from '../http/queries';
import { SignInProblem } from './sign-in-problem';

interface SingleSignOnButtonProps extends ButtonProps {
  /** Begins the sign-in. Returns the URL of the identity provider's page. */
  begin: () => Promise<{ url: string }>;
  /** Opens the page in another window, so that this one keeps its content. */
  inNewWindow?: boolean;
  children: ReactNode;
}

/** Renders a button that opens the identity provider's page. */
export function SingleSignOnButton({ begin, inNewWindow, ...button }: SingleSignOnButtonProps): ReactNode {
  const open = useApiMutation(async () => {
    // Opened during the click, because browsers block windows that open later.
    const target = inNewWindow ? window.open('', '_blank') : window;
    // Prevents the identity provider's page from navigating this window.
    if (inNewWindow && target) target.opener = null;
    try {
      const { url } = await begin();
      (target ?? window).location.assign(url);
    } catch (error) {
      if (inNewWindow) target?.close();
      throw error;
    }
  });
  return (
    <>
      <SignInProblem problem={open.error} />
      <Button variant="default" loading={open.isPending} onClick={() => open.mutate()} {...button} />
    </>
  );
}
