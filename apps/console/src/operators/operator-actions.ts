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
    text: 'They are signed out at once, and cannot sign in until an admin enables them again. An open invitation ends.',
    confirm: 'Disable',
    done: 'Disabled',
    danger: true,
  },
  enable: {
    title: 'Enable this operator?',
    text: 'They can sign in again, with the password and the authenticator that they had.',
    confirm: 'Enable',
    done: 'Enabled',
  },
  'reset-second-factor': {
    title: 'Reset the second factor?',
    text: 'They are signed out, and enroll a new authenticator with the next sign-in: until then their password alone lets in whoever has it. Be sure that it is they who ask.',
    confirm: 'Reset',
    done: 'The second factor is reset',
    danger: true,
  },
  'end-sessions': {
    title: 'Sign this operator out?',
    text: 'They are signed out everywhere at once. They can sign in again.',
    confirm: 'Sign out',
    done: 'Signed out everywhere',
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
