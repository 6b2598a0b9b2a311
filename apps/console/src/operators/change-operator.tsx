import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, type Schemas } from '../http/client';
import { useApiUpdate, useGet } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { OperatorAccess } from './operator-access';
import { ProblemAlert } from '../components/problem-alert';
import { isStale, SavedChanges } from '../components/saved-changes';
import { toastSuccess } from '../components/toast';
import { UntrustedText } from '../components/untrusted-text';
import { useEdits, type Edits } from '../components/use-edits';
import { AccessInput } from './access-input';
import type { Operator } from './operator-actions';
import { roles } from './role-permissions';
import { RoleRadio } from './role-radio';

type Fields = Pick<Operator, 'role' | 'organizationIds'>;

const labels: Record<keyof Fields, string> = { role: 'Role', organizationIds: 'Access' };

const renderField = (field: keyof Fields, value: unknown): ReactNode =>
  field === 'role' ? (
    roles[value as Operator['role']].label
  ) : (
    <OperatorAccess organizationIds={value as string[] | null} />
  );

interface ChangeOperatorProps {
  operator: Operator;
  onClose: () => void;
}

interface ChangeDialogProps extends ChangeOperatorProps {
  title: string;
  successMessage: string;
  isComplete?: (fields: Fields) => boolean;
  children: (edits: Edits<Fields>, errors: Record<string, string>) => ReactNode;
}

/**
 * Renders a dialog that changes an operator's permissions. It loads the operator again, because a row in the list has
 * no entity tag, and lists what another admin has changed in the meantime.
 */
function ChangeDialog(props: ChangeDialogProps): ReactNode {
  const { operator: listed, title } = props;
  const path = { operatorId: listed.id };
  const query = useGet('/operator/v1/operators/{operatorId}', { path });
  const operator = query.data ?? listed;
  const { role, organizationIds } = operator;
  const edits = useEdits<Fields>({ role, organizationIds });
  const change = useApiUpdate(
    operator,
    (body: Schemas['UpdateOperatorRequest'], header) =>
      api.PATCH('/operator/v1/operators/{operatorId}', { params: { path, header }, body }),
    '/operator/v1/operators',
    '/operator/v1/audit-log',
  );
  const isUnchanged = Object.keys(edits.changed).length === 0;
  return (
    <ActionDialog
      open
      onClose={props.onClose}
      title={title}
      confirmLabel={edits.isOverwrite ? 'Overwrite' : title}
      hidesError={isStale}
      disabled={!query.data || isUnchanged || props.isComplete?.(edits.values) === false}
      onConfirm={async () => {
        await change.mutateAsync(edits.changed);
        toastSuccess(props.successMessage);
      }}
    >
      <Text fw={600}>
        <UntrustedText text={operator.email} />
      </Text>
      {query.error && <ProblemAlert error={query.error} />}
      {props.children(edits, change.error?.fields ?? {})}
      <SavedChanges edits={edits} labels={labels} render={renderField} problem={change.error} />
    </ActionDialog>
  );
}

/** Renders the dialog that changes an operator's role. The change takes effect immediately. */
export function ChangeRoleDialog(props: ChangeOperatorProps): ReactNode {
  return (
    <ChangeDialog {...props} title="Change role" successMessage="Role changed. It takes effect immediately.">
      {({ values, set }, errors) => (
        <RoleRadio value={values.role} onChange={(role) => set({ role })} error={errors['role']} />
      )}
    </ChangeDialog>
  );
}

/**
 * Renders the dialog that changes the organizations that an operator is limited to. The change takes effect
 * immediately.
 */
export function ChangeAccessDialog(props: ChangeOperatorProps): ReactNode {
  return (
    <ChangeDialog
      {...props}
      title="Change access"
      successMessage="Access changed. It takes effect immediately."
      isComplete={({ organizationIds }) => organizationIds?.length !== 0}
    >
      {({ values, set }, errors) => (
        <AccessInput
          value={values.organizationIds}
          onChange={(organizationIds) => set({ organizationIds })}
          error={errors['organizationIds']}
        />
      )}
    </ChangeDialog>
  );
}
