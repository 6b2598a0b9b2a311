import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { SecondFactorNotice } from '../session/second-factor-notice';
import { useSession, type Role } from '../session/session';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { UntrustedText } from '../components/untrusted-text';
import { OneTimeSecret } from '../components/one-time-secret';
import { toastSuccess } from '../components/toast';
import { AccessInput } from './access-input';
import { RoleRadio } from './role-radio';

type InvitedOperator = Schemas['InvitedOperatorResponse'];

interface InviteOperatorProps {
  onClose: () => void;
  onInvited: (invited: InvitedOperator) => void;
}

/** Renders the dialog that invites an operator, with an email address, a role and the organizations to access. */
export function InviteOperator({ onClose, onInvited }: InviteOperatorProps): ReactNode {
  const { hasSecondFactor } = useSession();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [organizationIds, setOrganizationIds] = useState<string[] | null>(null);
  const invite = useApiMutation(
    () =>
      unwrap(api.POST('/operator/v1/operators', { body: { email: email.trim(), role, organizationIds } })),
    '/operator/v1/operators',
  );
  const fieldErrors = invite.error?.fields ?? {};
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Invite operator"
      confirmLabel="Invite operator"
      disabled={!hasSecondFactor || !email.trim() || organizationIds?.length === 0}
      onConfirm={async () => onInvited(await invite.mutateAsync(undefined))}
    >
      <SecondFactorNotice />
      <TextInput
        label="Email"
        type="email"
        required
        maxLength={254}
        data-autofocus
        autoComplete="off"
        value={email}
        error={fieldErrors.email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <RoleRadio value={role} onChange={setRole} error={fieldErrors.role} />
      <AccessInput
        value={organizationIds}
        onChange={setOrganizationIds}
        error={fieldErrors.organizationIds}
      />
    </ActionDialog>
  );
}

export interface InvitationLink {
  email: string;
  url: string;
}

/** Passes an invitation link to `onLink`, or shows that it was sent by email. */
export function showInvitation(
  { email, invitationUrl: url }: InvitedOperator,
  onLink: (link: InvitationLink) => void,
): void {
  if (url) onLink({ email, url });
  else toastSuccess('Invitation sent by email');
}

interface InvitationLinkDialogProps {
  link: InvitationLink | null;
  onClose: () => void;
}

/**
 * Shows the invitation link for an installation without a mail server. Only the button closes the dialog, so that an
 * accidental click does not lose the link.
 */
export function InvitationLinkDialog({ link, onClose }: InvitationLinkDialogProps): ReactNode {
  return (
    <Modal
      opened={link !== null}
      onClose={onClose}
      title="Invitation link"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {link && (
        <Stack>
          <Text>
            With this link, <UntrustedText text={link.email} /> chooses a password and sets up an
            authenticator. The link works once. This installation does not send emails. Share the link through
            a channel that you trust.
          </Text>
          <OneTimeSecret name="Invitation link" value={link.url} />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
