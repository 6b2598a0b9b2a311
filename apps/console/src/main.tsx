import './app/trusted-types';
import { areStylesLoaded } from './app/are-styles-loaded';
// Mantine's styles are in a cascade layer, so that our own styles override them in any load order.
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './app/fonts.css';
import './app/theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app';

// If a style sheet could not be loaded, the page keeps the error message from index.html, with a link that reloads it.
if (areStylesLoaded) {
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
