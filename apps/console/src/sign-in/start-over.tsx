import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSignOut } from '../app/session';

/** Back to the password, for whoever typed the wrong address. */
export function StartOver(): ReactNode {
  const signOut = useSignOut();
  const { pathname, search } = window.location;
  return (
    <Anchor component="button" type="button" onClick={() => signOut.mutate(pathname + search)}>
      Not you? Start over
    </Anchor>
  );
}
