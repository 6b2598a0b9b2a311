'use client';
import type { Factors, NewTotpFactor } from '@gatehouse/js';
import { useState } from 'react';
import { ActionButton } from '../components/action-button.js';
import { Dialog, FormDialog, FormDialogButton } from '../components/dialog.js';
import { digits, Field } from '../components/form.js';
import { RecoveryCodes } from '../components/recovery-codes.js';
import { TotpSetup } from '../components/totp-setup.js';
import { hasPasskeys } from '../sign-in/other-methods.js';
import { NotLoaded } from '../components/not-loaded.js';
import { useLoaded, type Loaded } from '../components/use-loaded.js';
import { fill, useTexts } from '../use-texts.js';
import { useAccount } from './account-context.js';
import { Row, Rows, Section, useUsage } from './section.js';

interface Props {
  factors: Loaded<Factors>;
  /** Shows recovery codes. Does nothing if `codes` is null. */
  showCodes: (codes: string[] | null) => void;
}

/** The second factors and the passkeys, which are also second factors. */
export function FactorSections() {
  const texts = useTexts();
  const { client, options } = useAccount();
  const factors = useLoaded(() => client.factors.list());
  const [codes, showCodes] = useState<string[] | null>(null);
  const hasTotp = options.mfa !== 'off' || factors.value?.totp.length;
  const hasPasskey = options.passkey || factors.value?.passkeys.length;
  return (
    <>
      {hasTotp ? <TotpSection factors={factors} showCodes={showCodes} /> : null}
      {hasPasskey ? <PasskeySection factors={factors} showCodes={showCodes} /> : null}
      {codes ? (
        <Dialog title={texts.codesTitle} text={texts.codesText} isPersistent onClose={() => showCodes(null)}>
          <RecoveryCodes codes={codes} onConfirm={() => showCodes(null)} />
        </Dialog>
      ) : null}
    </>
  );
}

function TotpSection({ factors, showCodes }: Props) {
  const texts = useTexts();
  const { client, prove } = useAccount();
  const usage = useUsage();
  const [added, setAdded] = useState<NewTotpFactor | null>(null);
  const { value, reload } = factors;
  return (
    <Section title={texts.factors} text={texts.factorsText}>
      {value ? (
        <>
          <Rows empty={texts.noAuthenticator}>
            {value.totp.map((factor) => (
              <Row key={factor.id} title={texts.authenticator} text={usage(factor)}>
                <FormDialogButton
                  label={texts.remove}
                  subject={texts.authenticator}
                  title={fill(texts.removeTitle, { name: texts.authenticator })}
                  text={texts.removeAuthenticatorText}
                  variant="danger"
                  onSubmit={async () => {
                    await prove(() => client.factors.remove(factor.id));
                    await reload();
                  }}
                />
              </Row>
            ))}
          </Rows>
          <ActionButton work={async () => setAdded(await prove(() => client.factors.addTotp()))}>
            {texts.addAuthenticator}
          </ActionButton>
          <RecoveryRow factors={factors} showCodes={showCodes} />
        </>
      ) : (
        <NotLoaded {...factors} />
      )}
      {added ? (
        <FormDialog
          title={texts.addAuthenticator}
          text={texts.scanText}
          submitLabel={texts.confirm}
          onClose={() => setAdded(null)}
          onSubmit={async ({ code = '' }) => {
            const { recoveryCodes } = await client.factors.confirmTotp(added.id, {
              code: digits(code),
            });
            await reload();
            showCodes(recoveryCodes);
          }}
        >
          <TotpSetup secret={added} />
        </FormDialog>
      ) : null}
    </Section>
  );
}

/** Shows the number of unused recovery codes, with a button that creates new ones. */
function RecoveryRow({ factors: { value, reload }, showCodes }: Props) {
  const texts = useTexts();
  const { client, prove } = useAccount();
  if (!value || value.totp.length + value.passkeys.length === 0) return null;
  return (
    <Rows>
      {[
        <Row
          key="codes"
          title={texts.recoveryCodes}
          text={fill(texts.codesLeft, { count: value.recoveryCodes })}
        >
          <FormDialogButton
            label={texts.newCodes}
            text={texts.newCodesText}
            onSubmit={async () => {
              showCodes(await prove(() => client.factors.createRecoveryCodes()));
              await reload();
            }}
          />
        </Row>,
      ]}
    </Rows>
  );
}

function PasskeySection({ factors, showCodes }: Props) {
  const texts = useTexts();
  const { client, options, prove } = useAccount();
  const usage = useUsage();
  const { value, reload } = factors;
  return (
    <Section title={texts.passkeys} text={texts.passkeysText}>
      {value ? (
        <Rows empty={texts.noPasskeys}>
          {value.passkeys.map((passkey) => (
            <Row key={passkey.id} title={passkey.name} text={usage(passkey)}>
              <FormDialogButton
                label={texts.rename}
                subject={passkey.name}
                submitLabel={texts.save}
                onSubmit={async ({ name = '' }) => {
                  await prove(() => client.passkeys.rename(passkey.id, { name }));
                  await reload();
                }}
              >
                <Field name="name" label={texts.name} defaultValue={passkey.name} autoComplete="off" />
              </FormDialogButton>
              <FormDialogButton
                label={texts.remove}
                subject={passkey.name}
                title={fill(texts.removeTitle, { name: passkey.name })}
                text={texts.removePasskeyText}
                variant="danger"
                onSubmit={async () => {
                  await prove(() => client.passkeys.remove(passkey.id));
                  await reload();
                }}
              />
            </Row>
          ))}
        </Rows>
      ) : (
        <NotLoaded {...factors} />
      )}
      {value && options.passkey && hasPasskeys() ? (
        <ActionButton
          work={async () => {
            const { recoveryCodes } = await prove(() => client.passkeys.add());
            await reload();
            showCodes(recoveryCodes);
          }}
        >
          {texts.addPasskey}
        </ActionButton>
      ) : null}
    </Section>
  );
}
