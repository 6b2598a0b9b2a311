'use client';
import { GatehouseError } from '@gatehouse/js';
import { useRef, useState } from 'react';
import { ActionButton } from '../components/action-button.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { CodeField, Field, Form, PasswordField } from '../components/form.js';
import { Alert } from '../components/panel.js';
import { hasPasskeys } from '../sign-in/other-ways.js';
import { fill, useTexts } from '../use-texts.js';
import { useAccount } from './account-context.js';
import { HiddenUsername } from './hidden-username.js';
import { proofError, requiredProofs, sendProof, type ProofMethod } from './proofs.js';
import { useLoaded } from './use-loaded.js';

/** A change that requires a proof of identity. */
export interface ProofRequest {
  /** The proofs of which one is required. */
  methods: ProofMethod[];
  /** Carries out the change. */
  repeat: (password?: string) => Promise<void>;
  /** Ends the change with an error. */
  reject: (error: unknown) => void;
}

interface Props {
  request: ProofRequest;
  onEnd: () => void;
}

/** Asks for a proof of identity, then carries out the change that requires it. */
export function ProofDialog({ request, onEnd }: Props) {
  const texts = useTexts();
  const { client, customer } = useAccount();
  const { methods, method, setMethod, notice, submit } = useProofs({ request, onEnd });
  const [isSent, setIsSent] = useState(false);
  const isUnsent = method === 'email_code' && !isSent;
  const cancel = (): void => {
    onEnd();
    request.reject(new GatehouseError('reauthentication_required', 'Canceled'));
  };
  const send = async (): Promise<void> => {
    await client.reauthenticate.sendEmailCode();
    setIsSent(true);
  };
  const { text, label } = useMethodTexts(isSent, customer.email);
  const hasForm = method && method !== 'provider';
  return (
    <Dialog title={texts.factorTitle} text={hasForm ? text[method] : null} onClose={cancel}>
      <Alert>{notice}</Alert>
      {hasForm ? (
        <Form
          key={`${method} ${isSent}`}
          submitLabel={isUnsent || method === 'passkey' ? label[method] : texts.continue}
          onSubmit={isUnsent ? send : submit}
        >
          {isUnsent ? null : <ProofField method={method} />}
        </Form>
      ) : null}
      <div className="gh-actions gh-again">
        {methods
          .filter((other): other is FormMethod => other !== method && other !== 'provider')
          .map((other) => (
            <Button key={other} onClick={() => setMethod(other)}>
              {label[other]}
            </Button>
          ))}
        {methods.includes('provider') ? <ProviderProofs isOnly={!hasForm} /> : null}
        <Button onClick={cancel}>{texts.cancel}</Button>
      </div>
    </Dialog>
  );
}

/** Returns the proofs that can be chosen, and the function that sends one. */
function useProofs({ request, onEnd }: Props) {
  const texts = useTexts();
  const { client } = useAccount();
  const [methods, setMethods] = useState(usable(request.methods));
  const [method, setMethod] = useState(methods[0]);
  const [notice, setNotice] = useState<string | null>(null);
  const password = useRef<string>(undefined);
  const ask = (next: ProofMethod[]): void => {
    setMethods(usable(next));
    setMethod(usable(next)[0]);
  };
  const repeat = async (): Promise<void> => {
    try {
      await request.repeat(password.current);
    } catch (error) {
      const next = requiredProofs(error);
      if (next) return ask(next);
      const isWrong = (error as GatehouseError).code === 'invalid_credentials';
      if (isWrong && method === 'current_password') throw proofError(error);
      if (isWrong) {
        // The password was entered before the second factor, and is verified only now.
        setNotice(texts.errors.wrong_password);
        return ask(['current_password']);
      }
      request.reject(error);
    }
    onEnd();
  };
  const submit = async ({ password: entered = '', code = '' }: Record<string, string>): Promise<void> => {
    setNotice(null);
    if (method === 'current_password') password.current = entered;
    else
      await sendProof(client, method!, entered || code).catch((error: unknown) => {
        throw proofError(error);
      });
    await repeat();
  };
  return { methods, method, setMethod, notice, submit };
}

/** Returns the proofs that this browser can give. */
const usable = (methods: ProofMethod[]): ProofMethod[] =>
  methods.filter((method) => method !== 'passkey' || hasPasskeys());

/** A proof that a form sends. */
type FormMethod = Exclude<ProofMethod, 'provider'>;
type Labels = Record<FormMethod, string>;

/** Returns what the dialog says about each method, and the labels of the buttons that choose one. */
function useMethodTexts(isSent: boolean, email: string): { text: Labels; label: Labels } {
  const texts = useTexts();
  return {
    text: {
      current_password: texts.proofPassword,
      password: texts.proofPassword,
      totp: texts.factorTotp,
      passkey: texts.factorPasskey,
      email_code: isSent ? fill(texts.codeText, { email }) : texts.proofEmail,
      recovery_code: texts.factorRecovery,
    },
    label: {
      current_password: texts.usePassword,
      password: texts.usePassword,
      totp: texts.useTotp,
      passkey: texts.usePasskey,
      email_code: texts.emailCode,
      recovery_code: texts.useRecoveryCode,
    },
  };
}

/** The field for a proof. It has the focus. */
function ProofField({ method }: { method: ProofMethod }) {
  const texts = useTexts();
  if (method === 'passkey') return null;
  if (method === 'totp') return <CodeField autoFocus label={texts.totpCode} />;
  if (method === 'email_code') return <CodeField autoFocus label={texts.code} />;
  if (method === 'recovery_code')
    return <Field autoFocus name="code" label={texts.recoveryCode} autoComplete="off" spellCheck={false} />;
  return (
    <>
      <HiddenUsername />
      <PasswordField autoFocus name="password" label={texts.password} autoComplete="current-password" />
    </>
  );
}

/** The identity providers that can sign the customer in again. @param isOnly true if the customer has no other proof */
function ProviderProofs({ isOnly }: { isOnly: boolean }) {
  const texts = useTexts();
  const { client, options, pageUrl } = useAccount();
  const { value, error } = useLoaded(() => client.identities.list());
  // The other providers cannot ask their customers to sign in again.
  const usableTypes = ['microsoft', 'gitlab', 'oidc'];
  const slugs = value?.filter(({ type }) => usableTypes.includes(type)).map(({ provider }) => provider);
  const providers = options.providers.filter(({ slug }) => slugs?.includes(slug));
  if (isOnly && (error || (slugs && providers.length === 0)))
    return <p className="gh-text">{error ?? texts.proofMissing}</p>;
  return providers.map(({ slug, name }) => (
    <ActionButton
      key={slug}
      work={() => client.reauthenticate.social({ provider: slug, redirectUrl: pageUrl() })}
    >
      {fill(texts.provider, { name })}
    </ActionButton>
  ));
}
