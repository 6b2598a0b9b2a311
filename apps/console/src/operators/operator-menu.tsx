import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useIsSingleSignOnRequired, useOperator } from '../session/session';
import { Icon } from '../components/icon';
import { showInvisible } from '../components/visible-text';
import type { Operator, OperatorAction } from './operator-actions';

export type OperatorMenuAction = OperatorAction | 'role' | 'access' | 'invite-again' | 'sessions';

interface OperatorMenuProps {
  operator: Operator;
  onSelect: (action: OperatorMenuAction) => void;
}

/** Renders the actions that an admin can perform on an operator. Admins cannot change their own access. */
export function OperatorMenu({ operator, onSelect }: OperatorMenuProps): ReactNode {
  const isSelf = useOperator().id === operator.id;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="sm" aria-label={showInvisible(`Actions for ${operator.email}`)}>
          <Icon name="dots" size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!isSelf && <Menu.Item onClick={() => onSelect('role')}>Change role</Menu.Item>}
        {!isSelf && <Menu.Item onClick={() => onSelect('access')}>Change access</Menu.Item>}
        <Menu.Item onClick={() => onSelect('sessions')}>Sessions</Menu.Item>
        {isSelf ? (
          <Menu.Item component={Link} to="/account">
            Password and recovery codes
          </Menu.Item>
        ) : (
          <OtherOperatorItems operator={operator} onSelect={onSelect} />
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function OtherOperatorItems({ operator, onSelect }: OperatorMenuProps): ReactNode {
  const isSingleSignOnRequired = useIsSingleSignOnRequired();
  if (operator.status === 'disabled') {
    return <Menu.Item onClick={() => onSelect('enable')}>Enable</Menu.Item>;
  }
  return (
    <>
      {!isSingleSignOnRequired && (
        <Menu.Item onClick={() => onSelect('invite-again')}>
          {operator.status === 'active' ? 'Create password reset link' : 'Invite again'}
        </Menu.Item>
      )}
      {operator.secondFactor && (
        <Menu.Item onClick={() => onSelect('reset-second-factor')}>Reset two-factor authentication</Menu.Item>
      )}
      <Menu.Item c="var(--bad)" onClick={() => onSelect('disable')}>
        Disable
      </Menu.Item>
    </>
  );
}
