import { Divider } from '@mantine/core';
import type { ReactNode } from 'react';
import { useReturnPath } from '../session/session-gate';
import { SESSION_PATH, useSession } from '../session/session';
import { SingleSignOnButton } from './single-sign-on-button';
import { UntrustedText } from '../components/untrusted-text';
import { api, unwrap } from '../http/client';

/**
 * Renders a button for single sign-on below the password form, or alone if single sign-on is required. Renders nothing
 * if single sign-on is not configured.
 * @param inNewWindow true if this window must keep its content
 */
export function SingleSignOn({ inNewWindow = false }: { inNewWindow?: boolean }): ReactNode {
  const { singleSignOn } = useSession();
  const to = useReturnPath();
  if (!singleSignOn) return null;
  const begin = (): Promise<{ url: string }> =>
    unwrap(api.POST(`${SESSION_PATH}/oidc`, { body: { to, isSeparateWindow: inNewWindow } }));
  return (
    <>
      {!singleSignOn.isRequired && <Divider label="or" />}
      <SingleSignOnButton
        begin={begin}
        inNewWindow={inNewWindow}
        variant={singleSignOn.isRequired ? 'filled' : 'default'}
      >
        <span>
          Sign in with <UntrustedText text={singleSignOn.label} />
        </span>
      </SingleSignOnButton>
    </>
  );
}
