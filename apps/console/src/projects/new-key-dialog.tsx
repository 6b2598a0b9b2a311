import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { OneTimeSecret } from '../components/one-time-secret';
import type { CreatedKey } from './api-key';

/**
 * Shows the value of a new key. Only the button closes the dialog, so that an accidental click does not lose
 * the value.
 */
export function NewKeyDialog({
  apiKey,
  onClose,
}: {
  apiKey: CreatedKey | null;
  onClose: () => void;
}): ReactNode {
  return (
    <Modal
      opened={apiKey !== null}
      onClose={onClose}
      title={apiKey ? `API key “${apiKey.name}”` : ''}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {apiKey && (
        <Stack>
          <OneTimeSecret
            name={apiKey.type === 'secret' ? 'Secret key' : 'Publishable key'}
            value={apiKey.key}
            variable={apiKey.type === 'secret' ? 'GATEHOUSE_SECRET_KEY' : 'GATEHOUSE_PUBLISHABLE_KEY'}
          />
          <Group justify="flex-end">
            <Button onClick={onClose}>I have saved it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
