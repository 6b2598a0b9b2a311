'use client';
import { ActionButton } from '../components/action-button.js';
import { FormDialogButton } from '../components/dialog.js';
import { NotLoaded } from '../components/not-loaded.js';
import { useLoaded } from '../components/use-loaded.js';
import { fill, useTexts } from '../use-texts.js';
import { useAccount } from './account-context.js';
import { Row, Rows, Section, useUsage } from './section.js';

/** The customer's identity provider accounts. */
export function IdentitySection() {
  const texts = useTexts();
  const { client, options, prove, pageUrl } = useAccount();
  const usage = useUsage();
  const identities = useLoaded(() => client.identities.list());
  const { value, reload } = identities;
  if (options.providers.length === 0 && !value?.length) return null;
  const nameOf = (provider: string): string =>
    options.providers.find(({ slug }) => slug === provider)?.name ?? provider;
  const others = options.providers.filter(({ slug }) => !value?.some(({ provider }) => provider === slug));
  return (
    <Section title={texts.identities}>
      {value?.length ? (
        <Rows>
          {value.map((identity) => {
            const name = nameOf(identity.provider);
            return (
              <Row
                key={identity.id}
                title={identity.email ? `${name} (${identity.email})` : name}
                text={usage(identity)}
              >
                <FormDialogButton
                  label={texts.disconnect}
                  subject={name}
                  title={fill(texts.disconnectTitle, { name })}
                  variant="danger"
                  onSubmit={async () => {
                    await prove(() => client.identities.unlink(identity.id));
                    await reload();
                  }}
                />
              </Row>
            );
          })}
        </Rows>
      ) : null}
      {value ? (
        others.map(({ slug, name }) => (
          <ActionButton
            key={slug}
            work={() => prove(() => client.identities.link({ provider: slug, redirectUrl: pageUrl() }))}
          >
            {fill(texts.connect, { name })}
          </ActionButton>
        ))
      ) : (
        <NotLoaded {...identities} />
      )}
    </Section>
  );
}
