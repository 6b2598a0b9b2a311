import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useServer } from '../session/session';

/** Renders a note for dialogs that send emails, if the installation captures emails instead of sending them. */
export function CapturedMailsNote(): ReactNode {
  return (
    useServer().mailbox && (
      <Text c="dimmed">
        This installation does not send emails. They are captured in the mailbox of this console.
      </Text>
    )
  );
}
