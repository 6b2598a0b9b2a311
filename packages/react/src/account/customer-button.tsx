'use client';
import { useEffect, useState } from 'react';
import { Dialog } from '../components/dialog.js';
import { Panel } from '../components/panel.js';
import { useGatehouse } from '../gatehouse-context.js';
import { useAuth } from '../use-auth.js';
import { useCustomer } from '../use-customer.js';
import { useTexts } from '../use-texts.js';
import { Sections } from './account-settings.js';
import { Avatar, fullName } from './avatar.js';
import { useMenu } from './use-menu.js';
import { Localized } from '../localization/localized.js';

/** A menu entry: a link with `href`, or a button with `onClick`. */
export interface CustomerMenuItem {
  label: string;
  href?: string;
  onClick?: () => void;
}

export interface CustomerButtonProps {
  /** A page with `<AccountSettings>`. Default: the settings open in a dialog. */
  settingsUrl?: string;
  /** Called instead of opening the dialog. */
  onOpenSettings?: () => void;
  /** Entries above "Account settings". */
  items?: CustomerMenuItem[];
  /** Aligns the menu with this side of the button. Default: `end`. */
  align?: 'start' | 'end';
  /**
   * The URL to return to after an identity provider flow that started in the dialog. Must be listed in the project
   * setting `redirectUrls` and point to a page with this component. Default: the page's URL without its query.
   */
  redirectUrl?: string;
}

/** The customer's avatar, with a menu. Renders nothing if no customer is signed in. */
export function CustomerButton(props: CustomerButtonProps) {
  const { status, sessionId } = useAuth();
  if (status !== 'signed_in') return null;
  return (
    <Localized>
      <SignedInButton key={sessionId} {...props} />
    </Localized>
  );
}

function SignedInButton(props: CustomerButtonProps) {
  const { settingsUrl, onOpenSettings, items = [], align = 'end', redirectUrl } = props;
  const texts = useTexts();
  const auth = useAuth();
  const { redirect } = useGatehouse();
  const profile = useCustomer();
  const customer = profile.customer ?? auth.customer!;
  const name = fullName(customer);
  const [hasDialog, setHasDialog] = useState(false);
  const { isOpen, close, root, buttonProps, menuProps } = useMenu();
  const hasOwnDialog = !settingsUrl && !onOpenSettings;
  useEffect(() => {
    // A flow that started in the dialog redirected back to the page.
    if (hasOwnDialog && (redirect.result || redirect.error)) setHasDialog(true);
  }, [redirect.result, redirect.error]);
  const settings: CustomerMenuItem = settingsUrl
    ? { label: texts.account, href: settingsUrl }
    : { label: texts.account, onClick: onOpenSettings ?? (() => setHasDialog(true)) };
  // The tokens are deleted even if Gatehouse cannot be reached.
  const signOut = { label: texts.signOut, onClick: () => void auth.signOut().catch(() => undefined) };
  return (
    <Panel className="gh-customer">
      <div ref={root}>
        <button type="button" className="gh-avatar-button" aria-label={texts.accountMenu} {...buttonProps}>
          <Avatar customer={customer} imageUrl={profile.customer?.imageUrl} />
        </button>
        {isOpen ? (
          <div className={`gh-popover gh-${align}`}>
            <p className="gh-who">
              {name ? <strong>{name}</strong> : null}
              <span>{customer.email}</span>
            </p>
            <div aria-label={texts.accountMenu} {...menuProps}>
              {[...items, settings, signOut].map((item, index) => (
                <MenuItem key={index} {...item} onSelect={close} />
              ))}
            </div>
          </div>
        ) : null}
      </div>
      {hasDialog ? (
        <Dialog
          title={texts.account}
          isWide
          onClose={() => {
            setHasDialog(false);
            void profile.reload();
          }}
        >
          <Sections {...(redirectUrl && { redirectUrl })} />
        </Dialog>
      ) : null}
    </Panel>
  );
}

/**
 * Renders a menu entry.
 * @param onSelect closes the menu and returns focus to its button
 */
function MenuItem({ label, href, onClick, onSelect }: CustomerMenuItem & { onSelect: () => void }) {
  const shared = { role: 'menuitem', tabIndex: -1, className: 'gh-item' };
  if (href)
    return (
      <a {...shared} href={href}>
        {label}
      </a>
    );
  return (
    <button
      {...shared}
      type="button"
      onClick={() => {
        onSelect();
        onClick?.();
      }}
    >
      {label}
    </button>
  );
}
