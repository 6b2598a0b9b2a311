import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { showInvisible } from '../components/visible-text';
import type { CreatedKey } from './api-key';
import { NewKeys } from './new-keys';

interface NewKeyDialogProps {
  projectId: string;
  /** Empty if the dialog is closed. */
  keys: CreatedKey[];
  onClose: () => void;
}

/**
 * Shows the values of new keys. Only the button closes the dialog, so that an accidental click does not lose
 * the values.
 */
export function NewKeyDialog({ projectId, keys, onClose }: NewKeyDialogProps): ReactNode {
  const [first] = keys;
  return (
    <Modal
      opened={keys.length > 0}
      onClose={onClose}
      size={keys.length > 1 ? 'lg' : undefined}
      title={
        first && (keys.length === 1 ? `API key “${showInvisible(first.name)}”` : `${keys.length} API keys`)
      }
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {first && (
        <Stack>
          <NewKeys projectId={projectId} keys={keys} />
          <Group justify="flex-end">
            <Button onClick={onClose}>I have saved {keys.length === 1 ? 'it' : 'them'}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
