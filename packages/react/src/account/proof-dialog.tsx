'use client';
import { GatehouseError } from '@gatehouse/js';
import { useRef, useState, type ReactNode } from 'react';
import { ActionButton } from '../components/action-button.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { CodeField, Form, PasswordField, RecoveryCodeField } from '../components/form.js';
import { Alert } from '../components/panel.js';
import { useLoaded } from '../components/use-loaded.js';
import { hasPasskeys } from '../sign-in/other-methods.js';
import { fill, useTexts } from '../use-texts.js';
import { useAccount } from './account-context.js';
import { HiddenUsername } from './hidden-username.js';
import { proofError, requiredProofs, sendProof, type ProofMethod } from './proofs.js';

/** A change that requires reauthentication. */
export interface ProofRequest {
  /** The accepted methods, one of which is required. */
  methods: ProofMethod[];
  /** Makes the change. */
  repeat: (password?: string) => Promise<void>;
  /** Rejects the change with an error. */
  reject: (error: unknown) => void;
}

interface Props {
  request: ProofRequest;
  onEnd: () => void;
}

/** Reauthenticates the customer, then makes the change that requires it. */
export function ProofDialog({ request, onEnd }: Props) {
  const texts = useTexts();
  const { client } = useAccount();
  const { methods, method, setMethod, notice, submit } = useProofs({ request, onEnd });
  const [isSent, setIsSent] = useState(false);
  const forms = useProofForms(isSent);
  const form = method && method !== 'provider' && forms[method];
  const cancel = (): void => {
    onEnd();
    request.reject(new GatehouseError('reauthentication_required', 'Canceled'));
  };
  const send = async (): Promise<void> => {
    await client.reauthenticate.sendEmailCode();
    setIsSent(true);
  };
  return (
    <Dialog title={texts.factorTitle} text={form && form.text} onClose={cancel}>
      <Alert>{notice}</Alert>
      {form ? (
        <Form
          key={`${method} ${isSent}`}
          submitLabel={form.field ? texts.continue : form.label}
          onSubmit={method === 'email_code' && !isSent ? send : submit}
        >
          {form.field}
        </Form>
      ) : null}
      <div className="gh-actions gh-again">
        {methods.map((other) => {
          if (other === 'provider') return <ProviderProofs key={other} isOnly={!form} />;
          if (other === method) return null;
          return (
            <Button key={other} onClick={() => setMethod(other)}>
              {forms[other].label}
            </Button>
          );
        })}
        <Button onClick={cancel}>{texts.cancel}</Button>
      </div>
    </Dialog>
  );
}

/** Returns the available methods, the selected one, and the function that submits its form. */
function useProofs({ request, onEnd }: Props) {
  const texts = useTexts();
  const { client } = useAccount();
  const [methods, setMethods] = useState(filterSupported(request.methods));
  const [method, setMethod] = useState(methods[0]);
  const [notice, setNotice] = useState<string | null>(null);
  const password = useRef<string>(undefined);
  const showMethods = (next: ProofMethod[]): void => {
    setMethods(filterSupported(next));
    setMethod(filterSupported(next)[0]);
  };
  const repeat = async (): Promise<void> => {
    try {
      await request.repeat(password.current);
    } catch (error) {
      const next = requiredProofs(error);
      if (next) return showMethods(next);
      const isWrong = (error as GatehouseError).code === 'invalid_credentials';
      if (isWrong && method === 'current_password') throw proofError(error);
      if (isWrong) {
        // The password was entered before the second factor, but is verified only now.
        setNotice(texts.errors.wrong_password);
        return showMethods(['current_password']);
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

/** Returns the methods that this browser supports. */
const filterSupported = (methods: ProofMethod[]): ProofMethod[] =>
  methods.filter((method) => method !== 'passkey' || hasPasskeys());

/** The form for a method. A form without a field has only a button, with `label`. */
interface ProofForm {
  text: string;
  /** Label for the button that selects the method. */
  label: string;
  field?: ReactNode;
}

/** Returns the forms for all methods. @param isSent true if the code has been emailed */
function useProofForms(isSent: boolean): Record<Exclude<ProofMethod, 'provider'>, ProofForm> {
  const texts = useTexts();
  const { email } = useAccount().customer;
  const password = {
    text: texts.proofPassword,
    label: texts.usePassword,
    field: (
      <>
        <HiddenUsername />
        <PasswordField autoFocus name="password" label={texts.password} autoComplete="current-password" />
      </>
    ),
  };
  return {
    current_password: password,
    password,
    totp: {
      text: texts.factorTotp,
      label: texts.useTotp,
      field: <CodeField autoFocus label={texts.totpCode} />,
    },
    passkey: { text: texts.factorPasskey, label: texts.usePasskey },
    email_code: {
      text: isSent ? fill(texts.codeText, { email }) : texts.proofEmail,
      label: texts.emailCode,
      field: isSent && <CodeField autoFocus label={texts.code} />,
    },
    recovery_code: {
      text: texts.factorRecovery,
      label: texts.useRecoveryCode,
      field: <RecoveryCodeField autoFocus />,
    },
  };
}

/** The identity providers that can reauthenticate the customer. @param isOnly true if no other method is available */
function ProviderProofs({ isOnly }: { isOnly: boolean }) {
  const texts = useTexts();
  const { client, options, pageUrl } = useAccount();
  const { value, error } = useLoaded(() => client.identities.list());
  // Other providers do not support forcing a new sign-in.
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
