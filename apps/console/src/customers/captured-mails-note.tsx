import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useServer } from '../session/session';

/** Explains in a dialog where an email goes if the installation does not send emails. */
export function CapturedMailsNote(): ReactNode {
  return (
    useServer().mailbox && (
      <Text c="dimmed">
        This installation does not send emails. They are captured in the mailbox of this console.
      </Text>
    )
  );
}
