import { PasswordInput, Radio, Stack } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { ProjectSelect } from '../components/record-select';
import { toastSuccess } from '../components/toast';
import { CapturedMailsNote } from './captured-mails-note';
import { emptyCustomer, isComplete, toNewCustomer } from './customer-fields';
import { CustomerForm } from './customer-form';

/** The options for the customer's first password. */
type Access = 'invite' | 'password' | 'none';

interface CreateCustomerProps {
  /** ID of the initially selected project; "" for none. */
  projectId: string;
  onClose: () => void;
}

/** Renders the dialog that creates a customer in a project and then opens the customer's screen. */
export function CreateCustomer({ projectId, onClose }: CreateCustomerProps): ReactNode {
  const navigate = useNavigate();
  const [project, setProject] = useState(projectId);
  const [fields, setFields] = useState(emptyCustomer);
  const [access, setAccess] = useState<Access>('invite');
  const [password, setPassword] = useState('');
  const create = useApiMutation(
    (body: Schemas['CreateCustomerRequest']) => unwrap(api.POST('/operator/v1/customers', { body })),
    '/operator/v1/customers',
  );
  const errors = create.error?.fields ?? {};
  const isCreated = useRef(false);
  return (
    <ActionDialog
      open
      size="lg"
      // After the customer is created, `onClose` would navigate back to the list.
      onClose={() => isCreated.current || onClose()}
      title="Create customer"
      confirmLabel="Create customer"
      disabled={!project || !isComplete(fields) || (access === 'password' && password === '')}
      onConfirm={async () => {
        const { id } = await create.mutateAsync({
          ...toNewCustomer(fields),
          projectId: project,
          ...(access === 'invite' && { sendInvite: true }),
          ...(access === 'password' && { password }),
        });
        toastSuccess(access === 'invite' ? 'Customer created, invitation queued' : 'Customer created');
        isCreated.current = true;
        await navigate(`/customers/${id}`);
      }}
    >
      <ProjectSelect
        showLabel
        required
        placeholder="Select a project"
        value={project}
        onChange={setProject}
        error={errors.projectId}
      />
      <CustomerForm
        value={fields}
        onChange={(changes) => setFields((before) => ({ ...before, ...changes }))}
        errors={errors}
      />
      <Radio.Group label="Access" value={access} onChange={setAccess}>
        <Stack gap={6} mt={6}>
          <Radio value="invite" label="Send an invitation email" />
          <Radio value="password" label="Set a password" />
          <Radio value="none" label="No password (you can send an invitation later)" />
        </Stack>
      </Radio.Group>
      {access === 'invite' && <CapturedMailsNote />}
      {access === 'password' && (
        <PasswordInput
          label="Password"
          description="8 to 128 characters; any character is allowed."
          autoComplete="new-password"
          required
          value={password}
          error={errors.password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      )}
    </ActionDialog>
  );
}
