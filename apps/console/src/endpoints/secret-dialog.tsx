import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { OneTimeSecret } from '../components/one-time-secret';

interface SecretDialogProps {
  /** The signing secret; null keeps the dialog closed. */
  secret: string | null;
  title: string;
  children?: ReactNode;
  onClose: () => void;
}

/**
 * Shows a signing secret once. Only the button closes the dialog, because a click outside it would lose the
 * secret.
 */
export function SecretDialog({ secret, title, children, onClose }: SecretDialogProps): ReactNode {
  return (
    <Modal
      opened={secret !== null}
      onClose={onClose}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        {secret !== null && <OneTimeSecret name="Signing secret" value={secret} variable="WEBHOOK_SECRET" />}
        <Text c="dimmed">The receiver uses this secret to verify that a delivery was sent by Gatehouse.</Text>
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose}>I have saved it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
