declare module '*.css';
declare module '*.svg';
declare module '*/copy.js';
