import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { SESSION_PATH } from '../session/session';
import { ActionDialog } from '../components/action-dialog';
import { PasskeyForm } from '../sign-in/passkey-form';
import { createPasskey, supportsPasskeys } from '../sign-in/passkeys';
import { QueryContent } from '../components/query-content';
import { RelativeTime } from '../components/relative-time';
import { toastSuccess } from '../components/toast';
import { UntrustedText } from '../components/untrusted-text';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation, useGet } from '../http/queries';

type Passkey = Schemas['PasskeyResponse'];

const PASSKEYS_PATH = `${SESSION_PATH}/passkeys` as const;

/** Lists the signed-in operator's passkeys. The operator can add, rename and remove them. */
export function Passkeys(): ReactNode {
  const passkeys = useGet(PASSKEYS_PATH);
  const [isAdding, setAdding] = useState(false);
  const [renamed, setRenamed] = useState<Passkey | null>(null);
  const [removed, setRemoved] = useState<Passkey | null>(null);
  const remove = useApiMutation(
    ({ id }: Passkey) =>
      unwrap(api.DELETE(`${PASSKEYS_PATH}/{passkeyId}`, { params: { path: { passkeyId: id } } })),
    SESSION_PATH,
  );
  return (
    <>
      <QueryContent query={passkeys}>
        {({ data }) => (
          <Stack gap="sm">
            <Text c="dimmed">
              A passkey can replace the code when you sign in and before sensitive actions. It works only on
              this site.
            </Text>
            {data.map((passkey) => (
              <Row
                key={passkey.id}
                passkey={passkey}
                onRename={() => setRenamed(passkey)}
                onRemove={() => setRemoved(passkey)}
              />
            ))}
            {supportsPasskeys && (
              <Group>
                <Button variant="default" onClick={() => setAdding(true)}>
                  Add passkey
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </QueryContent>
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
      {renamed && <RenameDialog passkey={renamed} onClose={() => setRenamed(null)} />}
      {removed && (
        <ActionDialog
          open
          onClose={() => setRemoved(null)}
          title="Remove this passkey?"
          confirmLabel="Remove passkey"
          danger
          onConfirm={async () => {
            await remove.mutateAsync(removed);
            toastSuccess('Passkey removed');
          }}
        >
          <Text>
            You can no longer sign in with <UntrustedText text={removed.name} />. Also delete it on your
            device.
          </Text>
        </ActionDialog>
      )}
    </>
  );
}

function AddDialog({ onClose }: { onClose: () => void }): ReactNode {
  const add = useApiMutation(async (name: string) => {
    const { options } = await unwrap(api.POST(`${PASSKEYS_PATH}/options`, {}));
    const response = await createPasskey<Schemas['AddOperatorPasskeyRequest']['response']>(options);
    return unwrap(api.POST(PASSKEYS_PATH, { body: { name, response } }));
  }, SESSION_PATH);
  const submit = (name: string): void =>
    add.mutate(name, {
      onSuccess: () => {
        toastSuccess('Passkey added');
        onClose();
      },
    });
  return (
    <Modal opened onClose={onClose} title="Add a passkey">
      <PasskeyForm isPending={add.isPending} problem={add.error} onSubmit={submit} />
    </Modal>
  );
}

function RenameDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }): ReactNode {
  const [name, setName] = useState(passkey.name);
  const rename = useApiMutation(
    (body: { name: string }) =>
      unwrap(
        api.PATCH(`${PASSKEYS_PATH}/{passkeyId}`, { params: { path: { passkeyId: passkey.id } }, body }),
      ),
    SESSION_PATH,
  );
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Rename this passkey"
      confirmLabel="Rename passkey"
      disabled={!name.trim() || name.trim() === passkey.name}
      onConfirm={async () => {
        await rename.mutateAsync({ name: name.trim() });
        toastSuccess('Passkey renamed');
      }}
    >
      <TextInput
        label="Name of the passkey"
        name="passkey"
        autoComplete="off"
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </ActionDialog>
  );
}

interface RowProps {
  passkey: Passkey;
  onRename: () => void;
  onRemove: () => void;
}

function Row({ passkey, onRename, onRemove }: RowProps): ReactNode {
  return (
    <Group component="section" aria-label="Passkey" justify="space-between" gap="xs" wrap="nowrap">
      <div style={{ minWidth: 0 }}>
        <UntrustedText text={passkey.name} />
        <Text size="xs" c="dimmed">
          Last used <RelativeTime at={passkey.lastUsedAt} />
        </Text>
      </div>
      <Group gap="xs" wrap="nowrap">
        <Button variant="subtle" size="compact-xs" onClick={onRename}>
          Rename
        </Button>
        <Button variant="subtle" size="compact-xs" color="red.8" c="var(--bad)" onClick={onRemove}>
          Remove
        </Button>
      </Group>
    </Group>
  );
}
