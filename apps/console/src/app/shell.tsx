import { ActionIcon, Drawer, Kbd, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Suspense, useEffect, useState, type ReactNode } from 'react';
import { Link, NavLink, Outlet, useLocation } from 'react-router';
import { Icon } from '../components/icon';
import { createListVisits, ListVisitsContext } from '../components/list-visits';
import { PageIconContext } from '../components/page-icon';
import { useCommandPalette, type Palette } from './command-palette';
import { DeadLetterBadge } from './dead-letter-badge';
import { RedirectToSignIn, PageLoader } from '../session/session-gate';
import { useKeyboardShortcuts } from '../commands/use-keyboard-shortcuts';
import { Logo } from '../components/logo';
import { pageIcon, visibleNavigation } from './navigation';
import { PreferencesProvider } from '../session/preferences-provider';
import { useGlobalCommands } from './use-global-commands';
import { AccountMenu } from './account-menu';
import { ReauthenticationProvider } from '../sign-in/reauthentication-provider';
import { SessionProvider, useServer, useSession, type Session } from '../session/session';
import { SessionEndedDialog } from '../sign-in/session-ended-dialog';
import { SessionExpiryWarning } from './session-expiry-warning';
import classes from './shell.module.css';

/**
 * Renders the navigation around every screen. Redirects to the sign-in screen if no operator is signed in. If the
 * session ends later, the screen stays mounted below the sign-in form, so that its input is not lost.
 */
export function Shell(): ReactNode {
  const session = useSession();
  const [lastSession, setLastSession] = useState<Session | null>(null);
  const isSignedIn = session.state === 'signed_in';
  const isOtherOperator =
    isSignedIn && lastSession !== null && lastSession.operator?.id !== session.operator?.id;
  if (isSignedIn && !isOtherOperator && session !== lastSession) setLastSession(session);
  if (isOtherOperator) return <ReloadPage />;
  if (!lastSession) return <RedirectToSignIn />;
  return (
    <>
      <SessionProvider session={lastSession}>
        <PreferencesProvider>
          <Frame />
        </PreferencesProvider>
      </SessionProvider>
      <SessionEndedDialog email={lastSession.operator!.email} />
    </>
  );
}

/** Reloads the page, so that no data of the previous operator remains in memory. */
function ReloadPage(): ReactNode {
  useEffect(() => window.location.reload(), []);
  return null;
}

function Frame(): ReactNode {
  const [isOpen, drawer] = useDisclosure();
  const [visits] = useState(createListVisits);
  const { pathname } = useLocation();
  useEffect(drawer.close, [pathname, drawer.close]);
  const palette = useCommandPalette();
  useGlobalCommands();
  const shortcutsDialog = useKeyboardShortcuts(palette.open);
  return (
    <div className={classes.frame}>
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
      <header className={classes.top}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label="Open navigation"
          onClick={drawer.open}
        >
          <Icon name="menu" size={20} />
        </ActionIcon>
        <Brand />
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Search" onClick={palette.open}>
          <Icon name="search" size={20} />
        </ActionIcon>
      </header>
      <aside className={classes.side}>
        <Sidebar palette={palette} />
      </aside>
      <Drawer.Root opened={isOpen} onClose={drawer.close} size={264} padding={0}>
        <Drawer.Overlay />
        <Drawer.Content aria-label="Navigation" className={classes.drawer}>
          <Sidebar palette={palette} />
        </Drawer.Content>
      </Drawer.Root>
      <main id="content" className={classes.main} tabIndex={-1}>
        <ReauthenticationProvider>
          <ListVisitsContext value={visits}>
            <PageIconContext value={pageIcon(pathname)}>
              <Suspense fallback={<PageLoader />}>
                <Outlet />
              </Suspense>
            </PageIconContext>
          </ListVisitsContext>
        </ReauthenticationProvider>
      </main>
      <SessionExpiryWarning />
      {palette.dialog}
      {shortcutsDialog}
    </div>
  );
}

function Brand(): ReactNode {
  return (
    <Link to="/" className={classes.brand}>
      <Logo />
      Gatehouse
    </Link>
  );
}

function Sidebar({ palette }: { palette: Palette }): ReactNode {
  const session = useSession();
  const { production } = useServer();
  return (
    <div className={classes.bar}>
      <div className={classes.head}>
        <Brand />
        {!production && <span className={classes.environment}>Development</span>}
      </div>
      <TextInput
        size="xs"
        className={classes.search}
        aria-label="Search all records"
        aria-haspopup="dialog"
        placeholder="Search"
        leftSection={<Icon name="search" size={15} />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        rightSectionWidth="4rem"
        spellCheck={false}
        autoComplete="off"
        value=""
        onClick={() => palette.type('')}
        onChange={(event) => palette.type(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && palette.enter()}
      />
      <nav className={classes.nav} aria-label="Main">
        {visibleNavigation(session).map(({ label, items }) => (
          <div key={label} role="group" aria-label={label ?? undefined}>
            {label && <div className={classes.group}>{label}</div>}
            {items.map(({ label: name, to, icon }) => (
              <NavLink key={to} to={to} end={to === '/'} className={classes.navItem}>
                <Icon name={icon} size={17} />
                <span>{name}</span>
                {to === '/dead-letters' && <DeadLetterBadge />}
              </NavLink>
            ))}
          </div>
        ))}
      </nav>
      <AccountMenu />
    </div>
  );
}
