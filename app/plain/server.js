/**
 * The published app, and nothing of the lab: GET / writes a document, reads one and says how long that took; the overhead of
 * the lab is measured against it. Its calls of the database are those of ../documents/documents.js, so that they cost the same.
 */
import os from 'node:os';
import express from 'express';
import mongoose from 'mongoose';

const Document = mongoose.model('Document', new mongoose.Schema({ value: Number }, { versionKey: false }));
const app = express();

app.get('/', async (_req, res) => {
	const started = Date.now();
	try {
		await Document.create({ value: Math.random() });
		await Document.findOne().lean();
		res.json({ latency: Date.now() - started, server: os.hostname() });
	} catch (error) {
		res.status(500).json({ error: String(error) });
	}
});

await mongoose.connect('mongodb://mongo:27017/doubletake', { maxPoolSize: 50 });
app.listen(3000);
