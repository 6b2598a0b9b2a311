import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSignOut } from '../session/session';

/** Renders a link back to the password step, for an operator who entered the wrong email address. */
export function StartOver(): ReactNode {
  const signOut = useSignOut();
  const { pathname, search } = window.location;
  return (
    <Anchor component="button" type="button" onClick={() => signOut.mutate(pathname + search)}>
      Not you? Start over
    </Anchor>
  );
}
