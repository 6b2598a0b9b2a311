import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useIsSingleSignOnRequired, useOperator, useSession } from '../session/session';
import { OperatorAccess } from '../operators/operator-access';
import { PropertyList } from '../components/property-list';
import { UntrustedText } from '../components/untrusted-text';
import { Page } from '../components/page';
import { RelativeTime } from '../components/relative-time';
import { OwnSessions } from './own-sessions';
import { Passkeys } from './passkeys';
import { PasswordForm } from './password-form';
import { ReplaceAuthenticator } from './replace-authenticator';
import { SecondFactor } from './second-factor';

/** The signed-in operator's account screen: the password, the second factor and the active sessions. */
export function AccountScreen(): ReactNode {
  const { email, name, role, organizationIds } = useOperator();
  const { expiresAt, method, hasSecondFactor, passkeysAvailable } = useSession();
  const isSingleSignOn = method === 'oidc';
  const isSingleSignOnRequired = useIsSingleSignOnRequired();
  return (
    <Page title="Account">
      <Stack maw={760}>
        <Paper>
          <PropertyList
            items={{
              Email: <UntrustedText text={email} />,
              Name: name ? <UntrustedText text={name} /> : '–',
              Role: (
                <Text span inherit tt="capitalize">
                  {role}
                </Text>
              ),
              Access: <OperatorAccess organizationIds={organizationIds} />,
              'Signed in with': isSingleSignOn ? 'Single sign-on' : 'Password',
              'Session expires if idle': <RelativeTime at={expiresAt} />,
            }}
          />
        </Paper>
        {!isSingleSignOn && !isSingleSignOnRequired && (
          <Section title="Password">
            <PasswordForm />
          </Section>
        )}
        {hasSecondFactor && !isSingleSignOn && (
          <Section title="Authenticator app">
            <ReplaceAuthenticator />
          </Section>
        )}
        {hasSecondFactor && passkeysAvailable && !isSingleSignOn && (
          <Section title="Passkeys">
            <Passkeys />
          </Section>
        )}
        {!isSingleSignOn && (
          <Section title={hasSecondFactor ? 'Recovery codes' : 'Two-factor authentication'}>
            <SecondFactor />
          </Section>
        )}
        <Section title="Active sessions">
          <OwnSessions />
        </Section>
      </Stack>
    </Page>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <Paper component="section" aria-label={title}>
      <Title order={2} mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  );
}
