'use client';
import type { SignInOptions } from '@gatehouse/js';
import type { ReactNode } from 'react';
import { ActionButton } from '../components/action-button.js';
import { fill, useTexts } from '../use-texts.js';
import { useFlow, type AuthFlow } from './use-auth-flow.js';

/** Returns true if the browser supports passkeys. On plain http, only localhost supports them. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function';

/** A button that runs a request in the flow, and shows its error, if any. */
export function FlowButton({
  work,
  children,
}: {
  work: Parameters<AuthFlow['signIn']>[0];
  children: ReactNode;
}) {
  const { signIn } = useFlow();
  return <ActionButton work={() => signIn(work)}>{children}</ActionButton>;
}

/**
 * The sign-in methods besides the form.
 * @param withPasskey true to offer passkeys. False for sign-ups, because new customers have none
 */
export function OtherMethods({
  options,
  hasForm,
  withPasskey,
}: {
  options: SignInOptions;
  hasForm: boolean;
  withPasskey: boolean;
}) {
  const texts = useTexts();
  const { client, requiredProvider, pageUrl } = useFlow();
  const providers = options.providers.filter(({ slug }) => !requiredProvider || slug === requiredProvider);
  const isPasskeyShown = withPasskey && options.passkey && !requiredProvider && hasPasskeys();
  if (!isPasskeyShown && providers.length === 0) return null;
  return (
    <div className="gh-actions">
      {hasForm ? <p className="gh-divider">{texts.or}</p> : null}
      {isPasskeyShown ? <FlowButton work={() => client.signIn.passkey()}>{texts.passkey}</FlowButton> : null}
      {providers.map(({ slug, name }) => (
        <FlowButton key={slug} work={() => client.signIn.social({ provider: slug, redirectUrl: pageUrl() })}>
          {fill(texts.provider, { name })}
        </FlowButton>
      ))}
    </div>
  );
}
