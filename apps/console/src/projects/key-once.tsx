import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { SecretOnce } from '../parts/secret-once';
import type { CreatedKey } from './api-key';

/** Shows the value of a new key; only its own button closes it, so that no stray click loses the value. */
export function KeyOnce({ made, onClose }: { made: CreatedKey | null; onClose: () => void }): ReactNode {
  return (
    <Modal
      opened={made !== null}
      onClose={onClose}
      title={made ? `API key “${made.name}”` : ''}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {made && (
        <Stack>
          <SecretOnce
            name={made.type === 'secret' ? 'Secret key' : 'Publishable key'}
            value={made.key}
            variable={made.type === 'secret' ? 'GATEHOUSE_SECRET_KEY' : 'GATEHOUSE_PUBLISHABLE_KEY'}
          />
          <Group justify="flex-end">
            <Button onClick={onClose}>I have saved it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
