import { api, unwrap, type Schemas } from '../http/client';

export type Operator = Schemas['OperatorResponse'];

type Action = 'disable' | 'enable' | 'reset-second-factor' | 'end-sessions';

interface ActionTexts {
  title: string;
  text: string;
  confirmLabel: string;
  successMessage: string;
  danger?: boolean;
}

/** The dialog texts and success message for each action. */
export const actionTexts: Record<Action, ActionTexts> = {
  disable: {
    title: 'Disable this operator?',
    text: 'The operator will be signed out immediately, and cannot sign in until an admin enables them again. A pending invitation will be revoked.',
    confirmLabel: 'Disable operator',
    successMessage: 'Operator disabled',
    danger: true,
  },
  enable: {
    title: 'Enable this operator?',
    text: 'The operator can sign in again with the same password and authenticator. You can disable the operator again at any time.',
    confirmLabel: 'Enable operator',
    successMessage: 'Operator enabled',
  },
  'reset-second-factor': {
    title: 'Reset two-factor authentication?',
    text: 'The operator will be signed out, and must set up a new second factor at the next sign-in. Until then, the password alone is enough to sign in, so verify first that the request comes from the operator. This cannot be undone.',
    confirmLabel: 'Reset two-factor authentication',
    successMessage: 'Two-factor authentication reset',
    danger: true,
  },
  'end-sessions': {
    title: 'Revoke all sessions of this operator?',
    text: 'The operator will be signed out immediately on all devices, and can sign in again.',
    confirmLabel: 'Revoke all sessions',
    successMessage: 'All sessions revoked',
    danger: true,
  },
};

export type OperatorAction = keyof typeof actionTexts;

/**
 * Performs the action.
 * @throws Problem
 */
export function performOperatorAction(
  { id: operatorId }: Operator,
  action: OperatorAction,
): Promise<unknown> {
  const params = { path: { operatorId } };
  switch (action) {
    case 'disable':
      return unwrap(api.POST('/operator/v1/operators/{operatorId}/disable', { params }));
    case 'enable':
      return unwrap(api.POST('/operator/v1/operators/{operatorId}/enable', { params }));
    case 'reset-second-factor':
      return unwrap(api.POST('/operator/v1/operators/{operatorId}/reset-second-factor', { params }));
    case 'end-sessions':
      return unwrap(api.DELETE('/operator/v1/operators/{operatorId}/sessions', { params }));
  }
}
