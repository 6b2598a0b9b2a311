import { Anchor, Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { api, unwrap, type Schemas } from '../http/client';
import { ReauthenticationContext } from '../http/reauthentication';
import { ActionDialog } from '../components/action-dialog';
import { CodeInput } from './code-input';
import { getPasskey, supportsPasskeys } from './passkeys';
import { SignInProblem } from './sign-in-problem';
import { SingleSignOnButton } from './single-sign-on-button';
import { fetchPath, useApiMutation } from '../http/queries';
import { SESSION_PATH, useSession, type Session } from '../session/session';

interface Prompt {
  result: Promise<boolean>;
  finish: (isReauthenticated: boolean) => void;
}

/**
 * Shows a dialog when the API requires reauthentication for an action. The action's form stays open below the dialog,
 * and the action is repeated after the reauthentication.
 */
export function ReauthenticationProvider({ children }: { children: ReactNode }): ReactNode {
  const prompt = useRef<Prompt | null>(null);
  const [isOpen, setOpen] = useState(false);
  const reauthenticate = useCallback(() => {
    prompt.current ??= createPrompt();
    setOpen(true);
    return prompt.current.result;
  }, []);
  const finish = (isReauthenticated: boolean): void => {
    prompt.current?.finish(isReauthenticated);
    prompt.current = null;
    setOpen(false);
  };
  const { method } = useSession();
  const Dialog = method === 'oidc' ? SingleSignOnDialog : ReauthenticationDialog;
  return (
    <ReauthenticationContext value={reauthenticate}>
      {children}
      {isOpen && <Dialog onFinish={finish} />}
    </ReauthenticationContext>
  );
}

function createPrompt(): Prompt {
  let finish: Prompt['finish'] = () => undefined;
  const result = new Promise<boolean>((resolve) => (finish = resolve));
  return { result, finish };
}

function ReauthenticationDialog({ onFinish }: { onFinish: Prompt['finish'] }): ReactNode {
  const { factors } = useSession();
  const [isRecovery, setRecovery] = useState(false);
  const [code, setCode] = useState('');
  const submit = async (): Promise<void> => {
    try {
      await unwrap(api.POST(`${SESSION_PATH}/reauthenticate`, { body: { code } }));
    } catch (error) {
      setCode('');
      throw error;
    }
    onFinish(true);
  };
  const toggle = (): void => {
    setRecovery(!isRecovery);
    setCode('');
  };
  return (
    <ActionDialog
      open
      onClose={() => onFinish(false)}
      title="Confirm your identity"
      confirmLabel="Confirm"
      disabled={!code.trim()}
      onConfirm={submit}
    >
      <Text>This action requires a current code. The confirmation is valid for five minutes.</Text>
      {factors.includes('passkey') && supportsPasskeys && (
        <PasskeyButton onConfirmed={() => onFinish(true)} />
      )}
      <CodeInput key={String(isRecovery)} isRecovery={isRecovery} value={code} onChange={setCode} autoFocus />
      <Anchor component="button" type="button" onClick={toggle} w="fit-content">
        {isRecovery ? 'Use an authenticator code' : 'Use a recovery code'}
      </Anchor>
    </ActionDialog>
  );
}

function PasskeyButton({ onConfirmed }: { onConfirmed: () => void }): ReactNode {
  const confirm = useApiMutation(async () => {
    const path = `${SESSION_PATH}/reauthenticate/passkey` as const;
    const { options } = await unwrap(api.POST(`${path}/options`, {}));
    const response = await getPasskey<Schemas['OperatorPasskeyRequest']['response']>(options);
    return unwrap(api.POST(path, { body: { response } }));
  });
  return (
    <>
      <SignInProblem problem={confirm.error} />
      <Button
        variant="default"
        loading={confirm.isPending}
        onClick={() => confirm.mutate(undefined, { onSuccess: onConfirmed })}
      >
        Use a passkey
      </Button>
    </>
  );
}

const POLL_MS = 2_000;

/** Renders a dialog that waits until the operator has signed in again with the identity provider, in another window. */
function SingleSignOnDialog({ onFinish }: { onFinish: Prompt['finish'] }): ReactNode {
  const [isStarted, setStarted] = useState(false);
  const { data } = useQuery({
    queryKey: [`${SESSION_PATH}/oidc/reauthenticate`],
    queryFn: async ({ signal }) => (await fetchPath(SESSION_PATH, {}, signal)) as Session,
    enabled: isStarted,
    refetchInterval: POLL_MS,
    gcTime: 0,
  });
  const isFinished = isStarted && data?.isReauthenticated === true;
  useEffect(() => {
    if (isFinished) onFinish(true);
  }, [isFinished, onFinish]);
  const begin = async (): Promise<{ url: string }> => {
    const page = await unwrap(api.POST(`${SESSION_PATH}/oidc/reauthenticate`, {}));
    setStarted(true);
    return page;
  };
  return (
    <Modal opened onClose={() => onFinish(false)} title="Confirm your identity">
      <Stack>
        <Text>
          This action requires that you sign in again with your identity provider. The confirmation is valid
          for five minutes.
        </Text>
        {isStarted && (
          <Group gap="sm" role="status">
            <Loader size="sm" />
            <Text>Waiting for the other window</Text>
          </Group>
        )}
        <SingleSignOnButton begin={begin} inNewWindow variant="filled">
          {isStarted ? 'Open the window again' : 'Continue'}
        </SingleSignOnButton>
      </Stack>
    </Modal>
  );
}
