import { api, data, type Schemas } from '../http/client';

export type Operator = Schemas['OperatorResponse'];

type Action = 'disable' | 'enable' | 'reset-second-factor' | 'end-sessions';

interface ActionWords {
  title: string;
  text: string;
  confirm: string;
  done: string;
  danger?: boolean;
}

/** What is asked before each, and said afterwards. */
export const actionWords: Record<Action, ActionWords> = {
  disable: {
    title: 'Disable this operator?',
    text: 'The operator is signed out immediately and cannot sign in until an admin enables them again. A pending invitation is revoked.',
    confirm: 'Disable operator',
    done: 'Operator disabled',
    danger: true,
  },
  enable: {
    title: 'Enable this operator?',
    text: 'The operator can sign in again with the same password and authenticator. You can disable the operator again at any time.',
    confirm: 'Enable operator',
    done: 'Operator enabled',
  },
  'reset-second-factor': {
    title: 'Reset two-factor authentication?',
    text: 'The operator is signed out and sets up a new authenticator at the next sign-in. Until then, the password alone is enough to sign in, so verify first that the request comes from the operator. This cannot be undone.',
    confirm: 'Reset two-factor authentication',
    done: 'Two-factor authentication reset',
    danger: true,
  },
  'end-sessions': {
    title: 'Revoke all sessions of this operator?',
    text: 'The operator is signed out immediately on all devices and can sign in again.',
    confirm: 'Revoke all sessions',
    done: 'All sessions revoked',
    danger: true,
  },
};

export type OperatorAction = keyof typeof actionWords;

/** Does it. @throws Problem */
export function actOn({ id: operatorId }: Operator, action: OperatorAction): Promise<unknown> {
  const params = { path: { operatorId } };
  switch (action) {
    case 'disable':
      return data(api.POST('/operator/v1/operators/{operatorId}/disable', { params }));
    case 'enable':
      return data(api.POST('/operator/v1/operators/{operatorId}/enable', { params }));
    case 'reset-second-factor':
      return data(api.POST('/operator/v1/operators/{operatorId}/reset-second-factor', { params }));
    case 'end-sessions':
      return data(api.DELETE('/operator/v1/operators/{operatorId}/sessions', { params }));
  }
}
