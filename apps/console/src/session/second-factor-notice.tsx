import { Alert, Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Icon } from '../components/icon';
import { useSession } from './session';

/**
 * Renders a notice in a form that the API accepts only from operators with a second factor. Renders nothing for
 * operators who have one.
 */
export function SecondFactorNotice(): ReactNode {
  if (useSession().hasSecondFactor) return null;
  return (
    <Alert color="yellow" icon={<Icon name="alert" size={20} />} title="A second factor is required">
      Set up an authenticator app under{' '}
      <Anchor component={Link} to="/account" inherit>
        Account
      </Anchor>{' '}
      first.
    </Alert>
  );
}
