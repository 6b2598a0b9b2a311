'use client';
import type { SignInOptions } from '@gatehouse/js';
import { useEffect, useState } from 'react';
import { errorText } from '../components/error-text.js';
import { NotLoaded } from '../components/not-loaded.js';
import { Alert, Panel, Skeleton } from '../components/panel.js';
import { useLoaded } from '../components/use-loaded.js';
import { useGatehouse } from '../gatehouse-context.js';
import { useAuth } from '../use-auth.js';
import { useTexts } from '../use-texts.js';
import { AccountContext } from './account-context.js';
import { DeleteSection } from './delete-section.js';
import { FactorSections } from './factor-sections.js';
import { IdentitySection } from './identity-section.js';
import { PasswordSection } from './password-section.js';
import { ProfileSection } from './profile-section.js';
import { SessionSection } from './session-section.js';
import { useProve } from './use-prove.js';
import { Localized } from '../localization/localized.js';

export interface AccountSettingsProps {
  /**
   * The URL to return to after an identity provider flow. Must be listed in the project setting `redirectUrls` and
   * point to a page with this component. Default: the page's URL without its query.
   */
  redirectUrl?: string;
}

/** The account settings for the signed-in customer. Renders nothing if no customer is signed in. */
export function AccountSettings(props: AccountSettingsProps) {
  const { status, sessionId } = useAuth();
  if (status === 'signed_out') return null;
  return (
    <Localized>
      <Panel className="gh-card gh-account">
        {status === 'loading' ? <Skeleton lines={8} /> : <Sections key={sessionId} {...props} />}
      </Panel>
    </Localized>
  );
}

/** The sections, without the surrounding panel. */
export function Sections({ redirectUrl }: AccountSettingsProps) {
  const texts = useTexts();
  const { client } = useGatehouse();
  const loaded = useLoaded(() =>
    Promise.all([client.customer.get(), client.options() as Promise<SignInOptions>]),
  );
  const [prove, proofDialog] = useProve();
  const [passwordChanges, setPasswordChanges] = useState(0);
  const { status, error } = useRedirectResult();
  const success = status === 'linked' ? texts.connected : status === 'reauthenticated' && texts.proven;
  if (!loaded.value) return <NotLoaded {...loaded} lines={8} />;
  const [customer, options] = loaded.value;
  const pageUrl = (): string => redirectUrl ?? location.href.replace(/[?#].*$/s, '');
  return (
    <AccountContext.Provider value={{ client, customer, options, reload: loaded.reload, prove, pageUrl }}>
      <Alert>{error}</Alert>
      <Alert isSuccess>{success}</Alert>
      <ProfileSection />
      {options.password ? <PasswordSection onChange={() => setPasswordChanges(passwordChanges + 1)} /> : null}
      <FactorSections />
      {/* Reloads after an account has been linked. */}
      <IdentitySection key={status} />
      <SessionSection key={passwordChanges} />
      <DeleteSection />
      {proofDialog}
    </AccountContext.Provider>
  );
}

/** Returns the result or error of an identity provider flow that redirected back to this page. */
function useRedirectResult(): { status?: string; error?: string | null } {
  const texts = useTexts();
  const { result, error, clear } = useGatehouse().redirect;
  const [handled, setHandled] = useState<ReturnType<typeof useRedirectResult>>({});
  useEffect(() => {
    if (!result && !error) return;
    setHandled({ ...(result && { status: result.status }), error: error && errorText(texts, error) });
    clear();
  }, [result, error]);
  return handled;
}
